import 'server-only';

/** The secret that seals cookies, the same one on all servers. */
export interface SessionSecret {
  /** Made by whoever asks first. @throws ApiError where there may be one that this server does not know yet */
  current(): Promise<string>;
}
