import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { parseWorkflow } from '@/spec'
import { loadPlugins } from './loader'
import { jobsSource, manifest, pluginsFolder, toolsSource, workflow, writePlugin } from './testing/folder'

let remove: (() => Promise<void>) | undefined
afterEach(async () => await remove?.())

async function load(files: Record<string, string | object>, timeoutMs = 10_000) {
  const folder = await pluginsFolder(files)
  remove = folder.remove
  return await loadPlugins({ dir: folder.dir, timeoutMs })
}

/** A good plugin beside the one in question: it must load whatever the other does. */
const bystander = { 'zz-good/plugin.json': manifest('zz-good'), 'zz-good/index.ts': toolsSource('good.tool') }

async function failureOf(files: Record<string, string | object>, timeoutMs?: number): Promise<string | undefined> {
  const { loaded, failed } = await load({ ...bystander, ...files }, timeoutMs)
  expect(loaded.map(({ id }) => id)).toEqual(['zz-good'])
  expect(failed).toHaveLength(1)
  return failed[0]?.error
}

test('a plugin brings its tools, with JSON Schemas, and its workflows in canonical form', async () => {
  const exported = `${toolsSource('a.one')}\nexport const workflows = [${JSON.stringify(workflow('built'))}]`
  const { loaded, failed } = await load({
    'a/plugin.json': manifest('a'),
    'a/index.ts': exported,
    'a/workflows/w.json': workflow('written'),
  })
  expect(failed).toEqual([])
  expect(loaded).toMatchObject([{ ...manifest('a'), tables: null }])
  expect(loaded[0]?.tools).toMatchObject([
    { tool: { name: 'a.one' }, inputSchema: { type: 'object', required: ['n'] }, outputSchema: { type: 'object' } },
  ])
  const parsed = ['written', 'built'].map((slug) => parseWorkflow(JSON.stringify(workflow(slug))))
  expect(loaded[0]?.workflows).toEqual(parsed.map((is) => is.ok && { slug: is.spec.slug, spec: is.canonical, hash: is.hash }))
})

test('a plugin brings jobs as it brings tools, and each has its own names', async () => {
  const { loaded, failed } = await load({
    'a/plugin.json': manifest('a'),
    'a/index.ts': toolsSource('a.one') + jobsSource('a.one', 'a.two'),
  })
  expect(failed).toEqual([])
  expect(loaded[0]?.jobs).toMatchObject([
    { job: { kind: 'a.one', effect: 'once' }, inputSchema: { type: 'object', required: ['n'] }, outputSchema: { type: 'object' } },
    { job: { kind: 'a.two' } },
  ])
})

test('a workflow that code builds is the one that a file holds', async () => {
  const built = `
import { defineWorkflow } from '@/sdk'
export const workflows = [defineWorkflow({ slug: 'built', title: 'built' }, (w) => void w.call('a', 'time.now', { after: [] }))]`
  const { loaded } = await load({
    'a/plugin.json': manifest('a'),
    'a/index.ts': built,
    'b/plugin.json': manifest('b'),
    'b/workflows/w.json': { ...workflow('built'), slug: 'written' },
  })
  const specs = loaded.map(({ workflows }) => workflows[0]?.spec)
  expect(specs[0]).toBe(specs[1]?.replace('"slug":"written"', '"slug":"built"'))
})

test('a builder that refuses its workflow takes only its plugin down, with every reason', async () => {
  const wrong = `
import { defineWorkflow } from '@/sdk'
export const workflows = [defineWorkflow({ slug: 'Wrong', title: 'W' }, (w) => void w.wait('a', { after: [], seconds: -1 }))]`
  const error = await failureOf({ 'bad/plugin.json': manifest('bad'), 'bad/index.ts': wrong })
  expect(error).toMatch(/^The workflow 'Wrong' is not valid:\n- slug: .*\n- step 'a', seconds: /)
})

test('a plugin may consist of workflows only, and its init runs once', async () => {
  const key = Symbol.for('clew.test.init')
  const init = `export function init() { const g = globalThis as Record<symbol, number>; const k = Symbol.for('clew.test.init'); g[k] = (g[k] ?? 0) + 1 }`
  const { loaded } = await load({
    'a/plugin.json': manifest('a'),
    'a/workflows/w.json': workflow('alone'),
    'b/plugin.json': manifest('b'),
    'b/index.ts': init,
  })
  expect(loaded.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(Reflect.get(globalThis, key)).toBe(1)
})

test('folders that begin with _ or . and plain files are not plugins', async () => {
  expect(await load({ '_template/plugin.json': '{', '.git/x': '', 'README.md': '' })).toEqual({ loaded: [], failed: [] })
})

test.each<[string, Record<string, string | object>, RegExp]>([
  ['plugin.json is not JSON', { 'bad/plugin.json': '{' }, /^plugin.json is not JSON/],
  ['an unknown field', { 'bad/plugin.json': { ...manifest('bad'), colour: 'red' } }, /colour/],
  ['a missing title', { 'bad/plugin.json': { ...manifest('bad'), title: undefined } }, /plugin.json: title/],
  ['an id that is not the folder', { 'bad/plugin.json': manifest('other') }, /'other' is not the name of its folder, 'bad'/],
  ['it throws on load', { 'bad/index.ts': `throw new Error('no licence')` }, /^no licence$/],
  ['it throws something odd', { 'bad/index.ts': `throw 'odd'` }, /^odd$/],
  ['it throws an object without any text', { 'bad/index.ts': `throw Object.create(null)` }, /^it threw something that has no text$/],
  ['it throws nothing', { 'bad/index.ts': `throw undefined` }, /^undefined$/],
  ['it throws an error whose message is a number', { 'bad/index.ts': `throw Object.assign(new Error('x'), { message: 42 })` }, /^42$/],
  ['a title with U+0000', { 'bad/plugin.json': { ...manifest('bad'), title: 'B\0d' } }, /^plugin.json: title must not hold .* U\+0000$/],
  ['a tool with U+0000', { 'bad/index.ts': toolsSource('a.b').replace(`'T'`, `'T\\0'`) }, /'a.b'.*[^]*U\+0000/],
  ['an init that throws null', { 'bad/index.ts': `export function init() { throw null }` }, /^null$/],
  [
    'an init that cannot connect',
    { 'bad/index.ts': `export async function init() { throw Object.assign(new Error('no server'), { code: 'ECONNREFUSED' }) }` },
    /^no server$/,
  ],
  ['a name twice in it', { 'bad/index.ts': toolsSource('a.b', 'a.b') }, /^the tool 'a.b' is there twice$/],
  ['a job that is no job', { 'bad/index.ts': `export const jobs = [{ kind: 'a.b' }]` }, /jobs\[0\] was not made by defineJob/],
  ['a kind of job twice in it', { 'bad/index.ts': jobsSource('a.b', 'a.b') }, /^the job 'a.b' is there twice$/],
  ['a tool that is no tool', { 'bad/index.ts': `export const tools = [{ name: 'a.b' }]` }, /tools\[0\] was not made by defineTool/],
  ['an invalid tool', { 'bad/index.ts': toolsSource('Not-A-Name') }, /'Not-A-Name'/],
  ['a misspelt export', { 'bad/index.ts': 'export const tool = []' }, /exports tool:/],
  ['a syntax error', { 'bad/index.ts': 'export const = 1' }, /./],
  ['an init that fails', { 'bad/index.ts': `export async function init() { throw new Error('no mail server') }` }, /^no mail server$/],
  ['a strange file', { 'bad/workflows/w.yaml': '' }, /w.yaml/],
  ['tables without a database', { 'bad/migrations/001_a.sql': 'SELECT 1' }, /there is no database/],
  ['a migration without a number', { 'bad/migrations/a.sql': '' }, /migrations\/a.sql must be named/],
  ['a number twice', { 'bad/migrations/001_a.sql': '', 'bad/migrations/001_b.sql': '' }, /001_a.sql and migrations\/001_b.sql/],
])('a bad plugin is reported and takes no other down: %s', async (_what, files, reason) => {
  expect(await failureOf({ 'bad/plugin.json': manifest('bad'), ...files })).toMatch(reason)
})

test('a folder without plugin.json is reported', async () => {
  expect(await failureOf({ 'bad/index.ts': toolsSource('a.b') })).toBe('plugin.json is missing')
})

test('every problem of every spec is reported, as file:line:column', async () => {
  const error = await failureOf({
    'bad/plugin.json': manifest('bad'),
    'bad/workflows/one.json':
      '{\n  "spec": 1,\n  "slug": "one",\n  "title": "One",\n  "steps": [\n    { "id": "a", "uses": "tool:x", "after": [], "colour": 1 },\n    { "id": "a", "uses": "tool:x", "after": [] }\n  ]\n}',
    'bad/workflows/two.json': '{ "spec": 1, }',
    'bad/index.ts': `export const workflows = [{ spec: 2 }]`,
  })
  expect(error).toMatch(/^workflows\/one\.json:6:\d+: .*colour/m)
  expect(error).toMatch(/^workflows\/one\.json:7:\d+: /m)
  expect(error).toMatch(/^workflows\/two\.json:1:\d+: /m)
  expect(error).toMatch(/^index\.ts: workflows\[0\]\/spec: /m)
})

test('a plugin that hangs is given up', async () => {
  expect(await failureOf({ 'bad/plugin.json': manifest('bad'), 'bad/index.ts': 'await new Promise(() => {})' }, 2_000)).toBe(
    'index.ts was not loaded within 2 seconds',
  )
})

test('a plugin that keeps the process busy for too long is given up, and only that one', async () => {
  const busy = `const end = Date.now() + 2_500\nwhile (Date.now() < end);\nexport const tools = []`
  expect(await failureOf({ 'bad/plugin.json': manifest('bad'), 'bad/index.ts': busy }, 2_000)).toBe(
    'index.ts was not loaded within 2 seconds',
  )
})

const bothBring = (other: string) =>
  [
    `the tool 'shared.tool' is also brought by '${other}': only one of them may have it`,
    `the workflow 'shared' is also brought by '${other}': only one of them may have it`,
  ].join('\n')

test('of two plugins that claim a tool or a workflow neither gets it, and each is told of the other', async () => {
  const { loaded, failed } = await load({
    ...bystander,
    'a/plugin.json': manifest('a'),
    'a/index.ts': toolsSource('shared.tool'),
    'a/workflows/w.json': workflow('shared'),
    'b/plugin.json': manifest('b'),
    'b/index.ts': toolsSource('b.tool', 'shared.tool'),
    'b/workflows/w.json': workflow('shared'),
  })
  expect(loaded.map(({ id }) => id)).toEqual(['zz-good'])
  expect(failed).toMatchObject([
    { id: 'a', error: bothBring('b') },
    { id: 'b', title: 'The b plugin', error: bothBring('a') },
  ])
})

const claim = (id: string) => ({ [`${id}/plugin.json`]: manifest(id), [`${id}/index.ts`]: toolsSource('time.now') })

test('the tools of core stay with core, whoever claims them and whatever its place', async () => {
  const { loaded, failed } = await load({ ...claim('aaa'), ...claim('core'), ...claim('zzz') })
  expect(loaded.map(({ id }) => id)).toEqual(['core'])
  const error = "the tool 'time.now' belongs to the plugin 'core': give it another name"
  expect(failed).toMatchObject([
    { id: 'aaa', error },
    { id: 'zzz', error },
  ])
})

test('files that begin with a dot are no workflows and no migrations', async () => {
  const { loaded, failed } = await load({
    'a/plugin.json': manifest('a'),
    'a/workflows/w.json': workflow('seen'),
    'a/workflows/.DS_Store': 'x',
    'a/workflows/._w.json': 'x',
    'a/migrations/.DS_Store': 'x',
  })
  expect(failed).toEqual([])
  expect(loaded[0]?.workflows.map(({ slug }) => slug)).toEqual(['seen'])
})

test('a reason holds no folder of this machine', async () => {
  const error = await failureOf({ 'bad/plugin.json': manifest('bad'), 'bad/index.ts': `import './missing'\nexport const tools = []` })
  expect(error).toContain('missing')
  expect(error).not.toContain(path.resolve('.'))
})

test('a folder that is not there is said in one sentence', async () => {
  await expect(loadPlugins({ dir: '.tmp/no-such-folder' })).rejects.toMatchObject({
    name: 'Problem',
    message: expect.stringContaining('CLEW_PLUGINS_DIR'),
  })
})

test('the plugins of the project load in plain Node, as the worker loads them', async () => {
  const { loaded, failed } = await loadInNode('plugins')
  // Without a database the ledger cannot have its table.
  expect(loaded).toEqual([{ id: 'core', tools: ['text.render', 'data.pick', 'time.now'] }])
  expect(failed.map(({ id }) => id)).toEqual(['expense-approval'])
}, 20_000)

test('await at the top level of a plugin outside the project is refused with what to do about it', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'clew-plugins-'))
  remove = () => rm(dir, { recursive: true })
  await writePlugin(dir, 'bad/plugin.json', manifest('bad'))
  await writePlugin(dir, 'bad/index.ts', 'await Promise.resolve()\nexport const tools = []')
  expect((await loadInNode(dir)).failed).toMatchObject([{ id: 'bad', error: expect.stringContaining('"type": "module"') }])
  await writePlugin(dir, 'package.json', { type: 'module' })
  expect(await loadInNode(dir)).toMatchObject({ loaded: [{ id: 'bad' }], failed: [] })
}, 20_000)

type Loaded = { loaded: { id: string; tools: string[] }[]; failed: { id: string; error: string }[] }

/** As the worker loads them: here it is the test's own loader that reads TypeScript. */
async function loadInNode(dir: string): Promise<Loaded> {
  const script = `
    const { loadPlugins } = await import('./server/plugins/loader.ts')
    const { loaded, failed } = await loadPlugins({ dir: process.argv[1] })
    console.log(JSON.stringify({ loaded: loaded.map(({ id, tools }) => ({ id, tools: tools.map((t) => t.tool.name) })), failed }))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, dir])
  return JSON.parse(stdout) as Loaded
}
