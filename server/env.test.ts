import { expect, test } from 'vitest'
import { parseEnv } from './env'

const enough = { DATABASE_URL: 'postgres://clew:pw@127.0.0.1:5432/clew', CLEW_SECRET: 's'.repeat(32) }

test('two settings are enough, the others have defaults bound to this machine', () => {
  expect(parseEnv(enough)).toMatchObject({
    PORT: 3000,
    CLEW_HOST: '127.0.0.1',
    CLEW_PUBLIC_URL: 'http://127.0.0.1:3000',
    CLEW_DEMO: false,
    CLEW_WORKER_CONCURRENCY: 20,
    CLEW_JOB_CONCURRENCY: 4,
    CLEW_AGENT_CONCURRENCY: 20,
  })
})

test('the public address follows the port, and loses a slash at its end', () => {
  expect(parseEnv({ ...enough, PORT: '4000' }).CLEW_PUBLIC_URL).toBe('http://127.0.0.1:4000')
  expect(parseEnv({ ...enough, CLEW_PUBLIC_URL: 'https://clew.example.com/' }).CLEW_PUBLIC_URL).toBe('https://clew.example.com')
})

test('an empty variable counts as not set', () => {
  const settings = parseEnv({ ...enough, PORT: '', SMTP_URL: '' })
  expect([settings.PORT, settings.SMTP_URL]).toEqual([3000, undefined])
})

test('every wrong setting is named at once, and no value is repeated', () => {
  const wrong = {
    DATABASE_URL: 'mysql://root:hunter2@db',
    CLEW_SECRET: 'short-secret',
    PORT: 'eighty',
    CLEW_PUBLIC_URL: 'javascript:alert(1)',
  }
  expect(() => parseEnv(wrong)).toThrow(
    /DATABASE_URL must look like.*\nCLEW_SECRET must have at least 32.*\nCLEW_PUBLIC_URL must be the full address.*\nPORT must be a number/s,
  )
  try {
    parseEnv(wrong)
  } catch (error) {
    expect(String(error)).not.toMatch(/hunter2|short-secret|eighty|alert/)
  }
  expect.assertions(2)
})

test.each(['0', '65536', '80.5', '-1'])('port %s is refused', (PORT) => {
  expect(() => parseEnv({ ...enough, PORT })).toThrow(/PORT/)
})

test('an address of a model without the name of one is a mistake', () => {
  const url = 'http://127.0.0.1:11434/v1'
  expect(parseEnv({ ...enough, CLEW_AI_BASE_URL: url, CLEW_AI_MODEL: 'm' })).toMatchObject({ CLEW_AI_BASE_URL: url, CLEW_AI_MODEL: 'm' })
  expect(() => parseEnv({ ...enough, CLEW_AI_BASE_URL: url })).toThrow('CLEW_AI_BASE_URL and CLEW_AI_MODEL are needed together')
  expect(() => parseEnv({ ...enough, CLEW_AI_BASE_URL: 'model', CLEW_AI_MODEL: 'm' })).toThrow('must be the full address')
})

test('former secrets are a list, and each is as long as a secret must be', () => {
  const [one, two] = ['1'.repeat(32), '2'.repeat(40)]
  expect(parseEnv(enough).CLEW_SECRET_RETIRED).toEqual([])
  expect(parseEnv({ ...enough, CLEW_SECRET_RETIRED: ` ${one}, ${two},` }).CLEW_SECRET_RETIRED).toEqual([one, two])
  expect(() => parseEnv({ ...enough, CLEW_SECRET_RETIRED: `${one},hunter2` })).toThrow(
    /CLEW_SECRET_RETIRED\S* must be former values(?!.*hunter2)/s,
  )
})
