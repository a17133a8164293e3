import { listDemo, type DemoPerson } from '../auth/demo'
import { container } from '../container/web'

/** Who the buttons "continue as …" offer; nobody unless in demo mode. */
export const demoPeople = (): Promise<DemoPerson[]> => listDemo(container().db)
