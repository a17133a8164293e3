/** How often a test repeats what chance decides, or how long it may take over it: so much in `npm test`, and in a round of `npm run test:long` ten times that, or as said. */
export const effort = (quick: number, long = quick * 10): number => (process.env.CLEW_TEST_LONG === '1' ? long : quick)
