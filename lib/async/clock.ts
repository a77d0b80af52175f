/** The clock and the timer that code in pure folders is given. Tests pass their own. */
export interface Clock {
  /** Milliseconds since any start. It is never set back. */
  nowMs(): number;
  /**
   * Calls `run` once, after `ms`. The timer alone does not keep the process alive.
   * @returns a function that cancels the call
   */
  after(ms: number, run: () => void): () => void;
}
