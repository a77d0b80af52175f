/** Why a file can't be drawn, as sentences for the operator. */
export class OverlayProblem extends Error {}
