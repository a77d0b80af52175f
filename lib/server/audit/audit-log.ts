import 'server-only';
import { AUDIT_TEXT_MAX_LENGTH, type AuditEntry, type AuditEvent } from '#lib/api/people/audit-event.ts';
import { addMs, epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { counts } from '../metrics/counts.ts';
import type { StoreHealth } from '../stores/store-health.ts';
import type { AuditFile, AuditFilter, AuditRow } from './audit-file.ts';

/** Who did something, and from where. */
export interface Actor {
  /** null where nobody has signed in. */
  readonly operator: { readonly id: string; readonly name: string } | null;
  /** null for what is done at the server itself. */
  readonly address: string | null;
  /** As in the log; null for what is no request. */
  readonly requestId: string | null;
}

/** Different rows of one operator and kind within a minute; what is beyond them is only counted. */
const ROWS_A_MINUTE = 60;
/** Rows of one operator and kind that are kept: nobody pushes out what others did, and the file is bounded. */
const KEPT_OF_EACH = 100_000;
/** Rows that wait for a disk that cannot be written; further ones are only counted. */
const WAITING_MAX = 10_000;
const RETRY_MS = 10 * SECOND_MS;

export interface AuditLogOptions {
  readonly file: AuditFile;
  readonly days: number;
  readonly now: () => LocalInstant;
  readonly health: StoreHealth;
  /** Told of each event as it happens. */
  readonly onRecord?: (actor: Actor, event: AuditEvent) => void;
}

/** What people did, kept for some days. A disk that cannot be written refuses no request: what happens meanwhile waits in memory. */
export class AuditLog {
  readonly #options: AuditLogOptions;
  /** Rows of the current minute, by all that must be alike for two events to be one row. */
  readonly #recent = new Map<string, AuditRow>();
  readonly #rowsOfEach = new Map<string, number>();
  readonly #waiting = new Set<AuditRow>();
  #minute = Number.NaN;
  #day = Number.NaN;
  #isFailing = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#write();
  }

  /** Events that are not on disk yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Never throws. After `close` nothing is kept. */
  record(actor: Actor, event: AuditEvent): void {
    if (event.kind === 'signed_in') counts().signIns[event.method].signed_in++;
    if (event.kind === 'sign_in_refused') counts().signIns[event.method][event.reason]++;
    this.#options.onRecord?.(actor, event);
    const now = this.#options.now();
    this.#beginMinute(now);
    const row = this.#rowOf(actor, plainEvent(event), now);
    row.last = now;
    row.times++;
    this.#waiting.add(row);
    // While the disk is full, trying at each event would slow all requests down.
    if (!this.#isFailing && !this.#isClosed) this.#write();
  }

  /** Newest first. @throws Error where the file cannot be read */
  read(filter: AuditFilter): readonly AuditEntry[] {
    return this.#options.file.read(filter);
  }

  close(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    if (this.#waiting.size > 0) this.#write();
    clearTimeout(this.#retry);
    this.#isClosed = true;
    this.#options.file.close();
  }

  /** Memory is bounded by what can happen within a minute. */
  #beginMinute(now: LocalInstant): void {
    const minute = Math.floor(epochMs(now) / MINUTE_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#recent.clear();
    this.#rowsOfEach.clear();
  }

  #rowOf(actor: Actor, event: AuditEvent, now: LocalInstant): AuditRow {
    const whose = JSON.stringify([event.kind, actor.operator?.id ?? null]);
    const like = (of: AuditEvent, address: string | null) => JSON.stringify([of, actor.operator, address]);
    const known = this.#recent.get(like(event, actor.address));
    if (known) return known;
    const rows = this.#rowsOfEach.get(whose) ?? 0;
    if (this.#waiting.size >= WAITING_MAX) return this.#counted('lost', { kind: 'lost' }, null, now);
    if (rows >= ROWS_A_MINUTE) return this.#counted(whose, { kind: 'more', of: event.kind }, actor.operator, now);
    this.#rowsOfEach.set(whose, rows + 1);
    const row = makeRow(plainActor(actor), event, now);
    this.#recent.set(like(event, actor.address), row);
    return row;
  }

  #counted(key: string, event: AuditEvent, operator: Actor['operator'], now: LocalInstant): AuditRow {
    const row = this.#recent.get(key) ?? makeRow({ operator, address: null, requestId: null }, event, now);
    this.#recent.set(key, row);
    return row;
  }

  #write(): void {
    clearTimeout(this.#retry);
    if (this.#options.health.written('audit.sqlite', () => this.#writeWaiting())) return;
    this.#retry = setTimeout(() => this.#write(), RETRY_MS);
    this.#retry.unref();
  }

  #writeWaiting(): void {
    const { file, now, days } = this.#options;
    this.#isFailing = true;
    const day = Math.floor(epochMs(now()) / DAY_MS);
    if (day !== this.#day) file.prune(addMs(now(), -days * DAY_MS), KEPT_OF_EACH);
    this.#day = day;
    file.write(this.#waiting);
    this.#waiting.clear();
    this.#isFailing = false;
  }
}

function makeRow(actor: Actor, event: AuditEvent, now: LocalInstant): AuditRow {
  return { id: undefined, at: now, last: now, times: 0, ...actor, event };
}

function plainActor({ operator, address, requestId }: Actor): Actor {
  return {
    operator: operator && { id: plain(operator.id), name: plain(operator.name) },
    address: address && plain(address),
    requestId,
  };
}

function plainEvent(event: AuditEvent): AuditEvent {
  const texts = Object.entries(event).map(([name, value]) => [name, typeof value === 'string' ? plain(value) : value]);
  const copy: AuditEvent = { ...event, ...Object.fromEntries(texts) };
  return copy.kind === 'past_loaded' ? { ...copy, bbox: rounded(copy.bbox) } : copy;
}

/** Outwards to hundredths of a degree, about a kilometre: which area it was, not where exactly somebody looked. */
function rounded([west, south, east, north]: readonly [number, number, number, number]): [
  number,
  number,
  number,
  number,
] {
  return [
    Math.floor(west * 100) / 100,
    Math.floor(south * 100) / 100,
    Math.ceil(east * 100) / 100,
    Math.ceil(north * 100) / 100,
  ];
}

/** What could change how a line is read: control, format and unassigned characters, halves of characters, line separators. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

function plain(text: string): string {
  const characters = [...text];
  const cut =
    characters.length > AUDIT_TEXT_MAX_LENGTH ? [...characters.slice(0, AUDIT_TEXT_MAX_LENGTH - 1), '…'] : characters;
  return cut.join('').replace(unprintable, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
