/** What one step moves a replay by; with Shift ten of them. */
export const STEP_MS = 1000;
