// The first thing that runs on a bare machine: only Node's own modules, and only syntax that an old Node can read,
// so that it can say what is missing. It installs the dependencies, then hands over to the Node that came with them.
import { spawn } from 'child_process'
import { existsSync, readFileSync } from 'fs'
import { dirname, join } from 'path'
import { fileURLToPath } from 'url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const scripts = { start: 'bin/start.ts', dev: 'bin/dev.ts', test: 'bin/test.ts', 'test:chaos': 'bin/chaos.ts', 'test:long': 'bin/long.ts' }
const [command = '', ...args] = process.argv.slice(2)
const script = scripts[command]

function refuse(sentence) {
  console.error(sentence)
  process.exit(1)
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch {
    return undefined
  }
}

const bundledNode = () => join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

/** Whether node_modules holds what package-lock.json names: npm keeps a record of what it installed, written last. */
function isInstalled() {
  const wanted = readPackages('package-lock.json')
  const present = readPackages('node_modules/.package-lock.json')
  if (!wanted || !present || !existsSync(bundledNode())) return false
  return Object.entries(wanted).every(([place, { version, integrity, optional, link }]) => {
    if (place === '' || link) return true
    const found = present[place]
    // Optional packages are for other machines, mostly; the two that this one cannot do without are checked where they are used.
    return found ? found.version === version && found.integrity === integrity : Boolean(optional)
  })
}

/** The one running program; Ctrl-C in the terminal reaches it by itself, other signals are passed on. */
let child
let stopping = false

function run(file, parameters, stdio) {
  return new Promise((resolve) => {
    let output = ''
    child = spawn(file, parameters, { cwd: root, stdio, env: Object.assign({}, process.env, { CLEW_PARENT_PID: String(process.pid) }) })
    if (child.stderr) child.stderr.on('data', (chunk) => (output += chunk))
    child.once('error', (error) => resolve({ code: 1, output: String(error) }))
    child.once('close', (code) => resolve({ code: code === null ? 1 : code, output }))
  })
}

function pass(signal) {
  stopping = true
  if (child) child.kill(signal)
}

/** npm dies without a word to us when it is killed: then the number of our parent changes. */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && pass('SIGTERM'), 250).unref()
}

function explainInstall(output) {
  if (/ENOSPC/.test(output)) return 'The disk is full: free at least 2 GB, then start again.'
  if (/EACCES|EPERM|EROFS/.test(output))
    return `npm may not write to ${root}: give this folder to your user ("chown -R"), then start again.`
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/i.test(output)) {
    return 'npm cannot reach its registry: connect this machine to the network (or set "npm config set registry" or "proxy"), then start again.'
  }
  return 'npm could not install what Clew needs; its message above says why. Put that right, then start again.'
}

async function install() {
  console.log('Installing what Clew needs (npm ci, once, about half a minute) …')
  const since = Date.now()
  const beat = setInterval(() => console.log(`  … still installing (${Math.round((Date.now() - since) / 1000)} s)`), 15000)
  const npm = process.env.npm_execpath
  const parameters = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const { code, output } = await run(npm ? process.execPath : 'npm', npm ? [npm].concat(parameters) : parameters, [
    'ignore',
    'inherit',
    'pipe',
  ])
  clearInterval(beat)
  if (stopping) process.exit(1)
  if (code !== 0) {
    console.error(output.split(/\n.*(Usage:|Clean install a project)/)[0].trim())
    refuse(explainInstall(output))
  }
  if (!isInstalled())
    refuse(
      `npm installed Clew, but its own Node for this machine (${process.platform}-${process.arch}) is missing: see README.md for the machines that are supported.`,
    )
}

async function main() {
  if (!script) refuse(`Say what to do: node bin/bootstrap.mjs <${Object.keys(scripts).join(' | ')}>`)
  if (Number(process.versions.node.split('.')[0]) < 20) {
    refuse(`Clew needs Node 20 or later, this is ${process.version}: install a current one from https://nodejs.org, then start again.`)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => pass(signal))
  endWithNpm()
  if (!isInstalled()) await install()
  const { code } = await run(bundledNode(), ['--import', 'tsx', script].concat(args), 'inherit')
  process.exit(code)
}

main()
