/** The header in which a request's id comes and goes. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Form of a request id from outside: it cannot look like another part of a log line. */
const acceptable = /^[A-Za-z0-9_-]{8,64}$/;

/** The id that a proxy or a script gave its request, so that its log and ours can be put together; `undefined` to make one. */
export function acceptableRequestId(text: string | null | undefined): string | undefined {
  return text !== null && text !== undefined && acceptable.test(text) ? text : undefined;
}
