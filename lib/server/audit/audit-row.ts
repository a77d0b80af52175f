import 'server-only';
import { AUDIT_TEXT_MAX_LENGTH, type AuditEvent } from '#lib/api/people/audit-event.ts';
import type { LocalInstant } from '#lib/time/instant.ts';

export interface Actor {
  /** `null` without a sign-in. */
  readonly operator: { readonly id: string; readonly name: string } | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

export interface AuditRow {
  readonly id: string;
  readonly at: LocalInstant;
  last: LocalInstant;
  times: number;
  readonly operator: { readonly id: string; readonly name: string } | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly event: AuditEvent;
}

/** The row of an event. No text in it breaks or reverses a line, or exceeds its limit. */
export function auditRow(
  id: string,
  { operator, address, requestId }: Actor,
  event: AuditEvent,
  now: LocalInstant,
): AuditRow {
  return {
    id,
    at: now,
    last: now,
    times: 0,
    operator: operator && { id: plain(operator.id), name: plain(operator.name) },
    address: address && plain(address),
    requestId,
    event: plainEvent(event),
  };
}

function plainEvent(event: AuditEvent): AuditEvent {
  const texts = Object.entries(event).map(([name, value]) => [name, typeof value === 'string' ? plain(value) : value]);
  const copy: AuditEvent = { ...event, ...Object.fromEntries(texts) };
  return copy.kind === 'past_loaded' ? { ...copy, bbox: rounded(copy.bbox) } : copy;
}

/** The box in hundredths of a degree, about a kilometre: enough to name the area, but not the view. */
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

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

function plain(text: string): string {
  const characters = [...text];
  const cut =
    characters.length > AUDIT_TEXT_MAX_LENGTH ? [...characters.slice(0, AUDIT_TEXT_MAX_LENGTH - 1), '…'] : characters;
  return cut.join('').replace(unprintable, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
