// Says what the validator of glTF (npm gltf-validator) finds in a file. Exit status: 0 nothing wrong, 1 errors or
// warnings, 77 the validator is not here.
const fs = require('fs')
const path = require('path')

let validator
try {
    validator = require(path.join(__dirname, '../../../../node_modules/gltf-validator'))
} catch {
    process.exit(77)
}

const file = process.argv[2]
const read = (name) => new Uint8Array(fs.readFileSync(name))
const beside = async (uri) => read(path.join(path.dirname(file), decodeURIComponent(uri)))

validator
    .validateBytes(read(file), { uri: path.basename(file), externalResourceFunction: beside })
    .then(({ issues }) => {
        const wrong = issues.messages.filter(({ severity }) => severity < 2)
        for (const { code, message, pointer } of wrong) console.error(`${file}: ${code} ${message} ${pointer}`)
        process.exit(wrong.length > 0 ? 1 : 0)
    })
    .catch((error) => {
        console.error(`${file}: ${error}`)
        process.exit(1)
    })
