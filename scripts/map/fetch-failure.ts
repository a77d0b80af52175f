/** Why a region was not fetched, as a sentence for the person at the command line. */
export class FetchFailure extends Error {}
