/** Its message is for the operator. */
export class OverlayProblem extends Error {}
