// Writes the mesh of a JavaScript module (positions and cells) as a Wavefront OBJ file.
// usage: node convert.js MODULE OUTPUT
'use strict'

const { writeFileSync } = require('fs')
const { basename, resolve } = require('path')

const [module_path, output] = process.argv.slice(2)
const { positions, cells } = require(resolve(module_path))
const vertices = positions.map((position) => `v ${position.join(' ')}\n`)
const faces = cells.map((cell) => `f ${cell.map((index) => index + 1).join(' ')}\n`)

writeFileSync(output, `# ${basename(module_path)}\n${vertices.join('')}${faces.join('')}`)
