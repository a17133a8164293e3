import { conformanceSuite, inMemory } from './conformance.testsuite'

conformanceSuite(inMemory)
