/** Before a test replaces it. */
export const nodeFetch = globalThis.fetch;
