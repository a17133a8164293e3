/**
 * Ids that only the gate (`auth/can.ts`) mints. Every read of a team's things demands one, so a read without asking `can`
 * does not compile.
 */
export type TeamId = string & { readonly __brand: 'TeamId' }
