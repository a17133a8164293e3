import { conformanceSuite, inMemory, notYetSuite } from './conformance.testsuite'

conformanceSuite(inMemory)
notYetSuite(inMemory)
