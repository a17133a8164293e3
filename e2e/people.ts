import type { APIRequestContext, Browser, BrowserContext, BrowserContextOptions } from '@playwright/test'
import type { Database, Person } from './database'

type State = Awaited<ReturnType<BrowserContext['storageState']>>

/** Signs people in without a page, as the "continue as" buttons do, and gives each test a browser context of theirs. */
export class People {
  private readonly states = new Map<Person, State>()

  constructor(
    private readonly browser: Browser,
    private readonly database: Database,
    private readonly url: string,
  ) {}

  /** A new browser context, signed in. Whoever asked for it closes it. */
  async context(person: Person, options: BrowserContextOptions = {}): Promise<BrowserContext> {
    return this.browser.newContext({ baseURL: this.url, storageState: await this.state(person), ...options })
  }

  /** Starts *Expense approval* without its form, for tests that are about what comes after. Resolves to the run's id. */
  async startExpense(context: BrowserContext, input: { amount: number; reason: string }): Promise<string> {
    const started = await this.call(context, 'runs.start', { team: 'finance', slug: 'expense-approval', input })
    return (started as { id: string }).id
  }

  /** Asks the server for a change, as a page would. */
  async call(context: BrowserContext, procedure: string, input: object): Promise<unknown> {
    const answer = await context.request.post(`/api/trpc/${procedure}`, { headers: { origin: this.url }, data: input })
    const body = (await answer.json()) as { result?: { data: unknown } }
    if (body.result === undefined) throw new Error(`${procedure} was refused: ${JSON.stringify(body)}`)
    return body.result.data
  }

  private async state(person: Person): Promise<State> {
    const known = this.states.get(person)
    if (known !== undefined) return known
    const context = await this.browser.newContext({ baseURL: this.url })
    try {
      await this.signIn(context.request, person)
      const state = await context.storageState()
      this.states.set(person, state)
      return state
    } finally {
      await context.close()
    }
  }

  private async signIn(request: APIRequestContext, person: Person): Promise<void> {
    const { csrfToken } = (await (await request.get('/api/auth/csrf')).json()) as { csrfToken: string }
    const answer = await request.post('/api/auth/callback/demo', {
      headers: { origin: this.url },
      form: { csrfToken, userId: await this.database.personId(person), json: 'true' },
    })
    if (!answer.ok()) throw new Error(`${person} could not sign in: ${answer.status()} ${await answer.text()}`)
  }
}
