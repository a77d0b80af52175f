import { EtagMismatch, type RangeResponse, type Source } from 'pmtiles';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { NO_ANSWER_MESSAGE } from '#lib/client/request/refusal-message.ts';

export type ArchiveTrouble =
  /** The file was replaced or is no map: what is drawn is out of date. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'unavailable'; readonly problem: string }
  | { readonly kind: 'unreachable'; readonly problem: string };

/** Reads all parts from one version of the file. */
export class ArchiveSource implements Source {
  readonly #name: string;
  readonly #onTrouble: (trouble: ArchiveTrouble) => void;
  #version: string | undefined;

  constructor(name: string, onTrouble: (trouble: ArchiveTrouble) => void) {
    this.#name = name;
    this.#onTrouble = onTrouble;
  }

  getKey(): string {
    return this.#name;
  }

  async getBytes(offset: number, length: number, signal?: AbortSignal): Promise<RangeResponse> {
    const address = `/api/maps?${new URLSearchParams({ name: this.#name })}`;
    const headers = { range: `bytes=${offset}-${offset + length - 1}` };
    let answer: Response;
    try {
      answer = await fetch(address, { headers, cache: 'no-store', redirect: 'error', ...(signal && { signal }) });
    } catch (error) {
      throw this.#unreachable(error, signal);
    }
    const version = answer.headers.get('etag') ?? undefined;
    const isOther = this.#version !== undefined && version !== undefined && version !== this.#version;
    if (isOther || answer.status === 416) {
      void answer.body?.cancel();
      this.#onTrouble({ kind: 'replaced' });
      throw new EtagMismatch('the file was replaced');
    }
    if (answer.status !== 206) throw await this.#refused(answer);
    let data: ArrayBuffer;
    try {
      data = await answer.arrayBuffer();
    } catch (error) {
      throw this.#unreachable(error, signal);
    }
    this.#version ??= version;
    return { data, ...(version !== undefined && { etag: version }) };
  }
  #unreachable(error: unknown, signal: AbortSignal | undefined): unknown {
    if (!signal?.aborted) this.#onTrouble({ kind: 'unreachable', problem: NO_ANSWER_MESSAGE });
    return error;
  }

  async #refused(answer: Response): Promise<Error> {
    const trouble = await refusal(answer);
    this.#onTrouble(trouble);
    return new Error(trouble.problem);
  }
}

async function refusal(answer: Response): Promise<Exclude<ArchiveTrouble, { kind: 'replaced' }>> {
  if (answer.ok) {
    // A whole file in place of a part may be as large as a disk.
    void answer.body?.cancel();
    return { kind: 'unreachable', problem: 'Something between this browser and Lookout sends whole files for parts.' };
  }
  if (answer.status === 401) return { kind: 'unreachable', problem: 'Signed out.' };
  const body: unknown = await answer.json().catch(() => undefined);
  const { code, message } = errorAnswerSchema.safeParse(body).data?.error ?? {};
  if (message === undefined) return { kind: 'unreachable', problem: NO_ANSWER_MESSAGE };
  return { kind: code === 'map_unavailable' || code === 'not_found' ? 'unavailable' : 'unreachable', problem: message };
}
