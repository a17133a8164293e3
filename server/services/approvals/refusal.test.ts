import { expect, it } from 'vitest'
import type { Principal } from '../../auth/principal'
import type { DecisionDetail, GateDetail } from '../../store/postgres/read-gates'
import { nobodyLeft } from './refusal'

const [mia, tom, rita] = ['Mia', 'Tom', 'Rita'].map((name) => ({ id: name.toLowerCase(), name })) as [Holder, Holder, Holder]
type Holder = { id: string; name: string }

const OPEN = { id: 'g', role: 'manager', status: 'open', selfApproval: false, startedBy: mia, initiators: [] as string[] }
const said = (reader: Holder, holders: Holder[], gate: Partial<typeof OPEN> = {}, decided: Holder[] = []) =>
  nobodyLeft(
    { person: reader } as unknown as Principal,
    { ...OPEN, ...gate } as GateDetail,
    decided.map((by) => ({ gateId: 'g', by }) as DecisionDetail),
    holders,
  )

it('says of an approval that nobody can give who has the role, and why they cannot', () => {
  expect(said(tom, [])).toBe('Nobody has the role “manager” now: the team’s owner can give it to somebody.')
  expect(said(mia, [mia])).toMatch(/^You started this run, so somebody else has to decide, and nobody else has the role “manager”:/)
  expect(said(tom, [mia])).toMatch(/^Only Mia, who started this run, has the role “manager”:/)
  expect(said(tom, [rita], { initiators: ['rita'] })).toMatch(/^Only Rita, who set this run going again, has the role “manager”:/)
  expect(said(rita, [mia, rita], {}, [rita])).toMatch(/^Of those with the role “manager”, Mia started this run and you decided already:/)
})

it('says nothing of it while somebody can answer, or nothing is asked any more', () => {
  expect(said(tom, [mia, rita])).toBeNull()
  expect(said(mia, [mia], { selfApproval: true })).toBeNull()
  expect(said(mia, [mia], { status: 'approved' })).toBeNull()
})
