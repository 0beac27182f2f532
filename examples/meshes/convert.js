// Writes the mesh of an npm package (positions and cells) as a Wavefront OBJ file.
// usage: node convert.js FOLDER PACKAGE OUTPUT, where FOLDER holds node_modules
'use strict'

const { writeFileSync } = require('fs')
const { createRequire } = require('module')
const { join, resolve } = require('path')

const [folder, name, output] = process.argv.slice(2)
const { positions, cells } = createRequire(join(resolve(folder), 'package.json'))(name)
const vertices = positions.map((position) => `v ${position.join(' ')}\n`)
const faces = cells.map((cell) => `f ${cell.map((index) => index + 1).join(' ')}\n`)

writeFileSync(output, `# ${name}\n${vertices.join('')}${faces.join('')}`)
