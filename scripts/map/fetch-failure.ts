/** A sentence for the command line. */
export class FetchFailure extends Error {}
