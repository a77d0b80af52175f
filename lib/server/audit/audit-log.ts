import 'server-only';
import type { AuditEntry, AuditEvent } from '#lib/api/people/audit-event.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { counts } from '../allowance/counts.ts';
import type { Part } from '../supervision/supervisor.ts';
import type { AuditEvents, AuditFilter, OverdueEntries } from './audit-events.ts';
import { type Actor, type AuditRow, auditRow } from './audit-row.ts';

/** Rows of one operator and kind within a minute; further events are only counted. */
const ROWS_A_MINUTE = 60;
/** Keeps an operator from pushing out others' entries. */
const KEPT_OF_EACH = 100_000;
/** Rows in memory while the database fails; further ones are only counted. */
const WAITING_MAX = 10_000;
const RETRY_MS = SECOND_MS;

export interface AuditLogOptions {
  readonly events: AuditEvents;
  readonly days: number;
  readonly now: () => LocalInstant;
  readonly part: Part;
  /** Called at most once a day, if too many entries are overdue to be deleted without confirmation. */
  readonly onOverdue?: (overdue: OverdueEntries) => void;
  readonly onRecord?: (actor: Actor, event: AuditEvent) => void;
}

/**
 * Records what people did, for admins to read. A record never fails or delays a request: events wait in memory while the
 * database fails, and too many of them are only counted.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #recent = new Map<string, AuditRow>();
  readonly #rowsOfEach = new Map<string, number>();
  readonly #waiting = new Set<AuditRow>();
  #minute = Number.NaN;
  #day = Number.NaN;
  #isFailing = false;
  #isClosed = false;
  readonly #writes = new Coalesced(() => this.#writeWaiting());
  #retry: NodeJS.Timeout | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#write();
  }

  get keptDays(): number {
    return this.#options.days;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Records an event. It never throws, and drops events after `close`. */
  record(actor: Actor, event: AuditEvent): void {
    if (event.kind === 'signed_in') counts().signIns[event.method].signed_in++;
    if (event.kind === 'sign_in_refused') counts().signIns[event.method][event.reason]++;
    this.#options.onRecord?.(actor, event);
    const now = this.#options.now();
    this.#beginMinute(now);
    const row = this.#rowOf(actor, event, now);
    row.last = now;
    row.times++;
    this.#waiting.add(row);
    if (!this.#isFailing && !this.#isClosed) this.#write();
  }

  /** Reads events, also those that are not on disk yet. Rejects with a `DatabaseFailure`. */
  async read(filter: AuditFilter, signal?: AbortSignal): Promise<readonly AuditEntry[]> {
    await this.#writes.idle();
    return this.#options.events.read(filter, signal);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writes.idle();
    if (this.#waiting.size > 0) await this.#writes.run();
    clearTimeout(this.#retry);
  }

  #beginMinute(now: LocalInstant): void {
    const minute = Math.floor(epochMs(now) / MINUTE_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#recent.clear();
    this.#rowsOfEach.clear();
  }

  #rowOf(actor: Actor, event: AuditEvent, now: LocalInstant): AuditRow {
    const kindOfOperator = JSON.stringify([event.kind, actor.operator?.id ?? null]);
    const row = auditRow(this.#options.events.newId(now), actor, event, now);
    const common = JSON.stringify([row.event, actor.operator, actor.address]);
    const known = this.#recent.get(common);
    if (known) return known;
    const rows = this.#rowsOfEach.get(kindOfOperator) ?? 0;
    if (this.#waiting.size >= WAITING_MAX) return this.#counted('lost', { kind: 'lost' }, null, now);
    if (rows >= ROWS_A_MINUTE)
      return this.#counted(kindOfOperator, { kind: 'more', of: event.kind }, actor.operator, now);
    this.#rowsOfEach.set(kindOfOperator, rows + 1);
    this.#recent.set(common, row);
    return row;
  }

  #counted(key: string, event: AuditEvent, operator: Actor['operator'], now: LocalInstant): AuditRow {
    const actor = { operator, address: null, requestId: null };
    const row = this.#recent.get(key) ?? auditRow(this.#options.events.newId(now), actor, event, now);
    this.#recent.set(key, row);
    return row;
  }

  #write(): void {
    clearTimeout(this.#retry);
    // It never rejects: the supervised part reports a failure, and a retry follows.
    void this.#writes.run();
  }

  /** Rows that change during a write are written again. */
  async #writeWaiting(): Promise<void> {
    const { events, now, part } = this.#options;
    const isWritten = await part.run(async () => {
      const rows = [...this.#waiting].map((row) => ({ row, written: { ...row } }));
      await events.write(rows.map(({ written }) => written));
      for (const { row, written } of rows) if (row.times === written.times) this.#waiting.delete(row);
      this.#isFailing = false;
      await this.#prune(now());
    });
    if (isWritten) return;
    // A try at each event would slow all requests down.
    this.#isFailing = true;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#write(), RETRY_MS);
    this.#retry.unref();
  }

  async #prune(now: LocalInstant): Promise<void> {
    const day = Math.floor(epochMs(now) / DAY_MS);
    if (day === this.#day) return;
    const overdue = await this.#options.events.prune(this.#options.days, now, KEPT_OF_EACH);
    this.#day = day;
    if (overdue) this.#options.onOverdue?.(overdue);
  }
}
