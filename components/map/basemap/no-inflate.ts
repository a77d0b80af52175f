/** Replaces fflate, pmtiles' fallback without DecompressionStream, which Lookout requires. */
export function decompressSync(): never {
  throw new Error('this browser has no DecompressionStream');
}
