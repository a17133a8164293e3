/** How often a test repeats what chance decides: `quick` in `npm test`, `long` in `npm run test:long`. */
export const effort = (quick: number, long: number): number => (process.env.CLEW_TEST_LONG === '1' ? long : quick)
