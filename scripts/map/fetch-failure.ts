export class FetchFailure extends Error {}
