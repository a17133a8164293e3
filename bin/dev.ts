import { supervise } from './supervisor'

await supervise({ dev: true })
