/** How often a test repeats what chance decides, or how long it may take over it: so much in `npm test`, ten times that in a round of `npm run test:long`. */
export const effort = (quick: number): number => quick * (process.env.CLEW_TEST_LONG === '1' ? 10 : 1)
