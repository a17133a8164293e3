import { expect, it } from 'vitest'
import { bringUpToDate, isBehind } from './up-to-date'

const starting = () => Object.assign(new Error('the database system is starting up'), { code: '57P03' })

it('a database that is only starting is brought up to date when it has started, and pages wait for that', async () => {
  let tries = 0
  const { later } = await bringUpToDate(async () => {
    if (++tries < 4) throw starting()
  }, 1)
  expect(isBehind()).toBe(true)
  await later
  expect([tries, isBehind()]).toEqual([4, false])
})

it('one that is there is ready at once', async () => {
  await bringUpToDate(async () => {})
  expect(isBehind()).toBe(false)
})

it('what does not pass is told at once, and also later', async () => {
  const broken = new Error('relation exists already')
  await expect(bringUpToDate(() => Promise.reject(broken))).rejects.toBe(broken)
  let tries = 0
  const { later } = await bringUpToDate(() => Promise.reject(tries++ === 0 ? starting() : broken), 1)
  await expect(later).rejects.toBe(broken)
})
