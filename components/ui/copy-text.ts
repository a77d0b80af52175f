export type CopyOutcome = 'copied' | 'refused';

/** Call it in the handler of a click or key, or browsers refuse. */
export async function copyText(text: string): Promise<CopyOutcome> {
  try {
    // `clipboard` is undefined in an insecure context; that throws, as a refusal does.
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'refused';
  }
}
