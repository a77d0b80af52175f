import { formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { AUDIT_KINDS, type AuditEvent, type AuditKind } from './audit-event.ts';

type Of<Kind extends AuditEvent['kind']> = Extract<AuditEvent, { kind: Kind }>;

const METHODS: Readonly<Record<Of<'signed_in'>['method'], string>> = {
  password: 'with a password',
  passkey: 'with a passkey',
  'single-sign-on': 'by single sign-on',
};
const REFUSALS: Readonly<Record<Of<'sign_in_refused'>['reason'], string>> = {
  not_accepted: 'not accepted',
  too_many_attempts: 'too many attempts',
  not_allowed: 'not allowed here',
  cancelled: 'not completed',
};
const ENDS: Readonly<Record<Of<'session_ended'>['how'], string>> = {
  signed_out: 'signed out',
  by_its_operator: 'ended it from another session',
  by_admin: 'ended by an admin',
  replaced: 'replaced by a new sign-in of the same browser',
};
const OUTCOMES: Readonly<Record<Of<'past_loaded'>['outcome'], string>> = {
  complete: 'complete',
  with_gaps: 'with gaps',
  left: 'left before its end',
  failed: 'failed',
};

export const AUDIT_KIND_TEXT: Readonly<Record<AuditKind, string>> = {
  signed_in: 'Signed in',
  sign_in_refused: 'Sign-in refused',
  session_ended: 'Session ended',
  past_loaded: 'Past loaded or exported',
  allowance_checked: 'Allowance checked',
  street_map_requested: 'Street map requested',
  street_map_cancelled: 'Street map cancelled',
  view_added: 'View saved',
  view_changed: 'View changed',
  view_removed: 'View deleted',
  start_view_set: 'Start view set',
  overlay_added: 'Overlay added',
  overlay_removed: 'Overlay removed',
  zone_added: 'Zone added',
  zones_imported: 'Zones imported',
  zone_changed: 'Zone changed',
  zone_removed: 'Zone removed',
  zones_handed_over: 'Zones handed over',
  permit_made: 'Permit made',
  permits_made: 'Permits made',
  permit_changed: 'Permit changed',
  permit_ended: 'Permit ended',
  alarm_acknowledged: 'Alarm acknowledged',
  alarm_closed: 'Alarm closed',
  handed_over: 'Shift handed over',
  incident_opened: 'Incident opened',
  incident_changed: 'Incident changed',
  incident_noted: 'Note of an incident written',
  incident_joined: 'Alarms or tracks added to an incident',
  incident_closed: 'Incident closed',
  incident_sealed: 'Incident sealed',
  incident_file_read: 'File of an incident read',
  incident_deleted: 'Incident deleted',
  alarms_exported: 'Alarms exported',
  destination_added: 'Destination added',
  destination_changed: 'Destination changed',
  destination_removed: 'Destination removed',
  destination_secret_made: 'Secret of a destination made',
  destination_secrets_dropped: 'Old secrets of a destination dropped',
  destination_trial: 'Trial sent',
  destination_switched_off: 'Destination switched off',
  delivery_given_up: 'Notice given up',
  read_token_made: 'Token made',
  read_token_revoked: 'Token revoked',
  wall_opened: 'Wall opened',
  person_added: 'Person added',
  person_removed: 'Person removed',
  role_changed: 'Role changed',
  password_changed: 'Password set',
  password_removed: 'Password removed',
  passkey_added: 'Passkey added',
  passkey_removed: 'Passkey removed',
  push_added: 'Push added',
  push_removed: 'Push removed',
  more: 'Only counted',
  lost: 'Lost',
};

/** Describes an event without its operator, address and time. */
export function auditText(event: AuditEvent): string {
  switch (event.kind) {
    case 'signed_in':
      return `signed in ${METHODS[event.method]}, session ${event.session}`;
    case 'sign_in_refused':
      return `sign-in ${METHODS[event.method]} as ${event.person ?? 'an unknown name'} refused: ${REFUSALS[event.reason]}`;
    case 'session_ended':
      return `session ${event.session} of ${event.person}: ${ENDS[event.how]}`;
    case 'past_loaded':
      return pastText(event);
    case 'allowance_checked':
      return 'had the allowance and the key checked again';
    case 'street_map_requested':
      return `requested the street map “${event.map}” from ${event.from}, ${event.bytes} bytes`;
    case 'street_map_cancelled':
      return `cancelled the street map “${event.map}”`;
    case 'view_added':
      return `saved the view “${event.view}”${event.shared ? ', shared' : ''}`;
    case 'view_changed':
      return `changed the view “${event.view}”${event.shared ? ', shared' : ''}`;
    case 'view_removed':
      return `deleted the view “${event.view}”`;
    case 'start_view_set':
      return event.view === null ? 'set no view to start at' : `set the view “${event.view}” to start at`;
    case 'overlay_added':
      return `added the overlay “${event.overlay}”${event.shared ? ', shared' : ''}`;
    case 'overlay_removed':
      return `removed the overlay “${event.overlay}”`;
    case 'zone_added':
      return `added the zone “${event.zone}”${event.shared ? ', shared' : ''}`;
    case 'zones_imported':
      return `imported ${event.zones === 1 ? '1 zone' : `${event.zones} zones`} from “${event.first}” on`;
    case 'zone_changed':
      return `changed the zone “${event.zone}”${event.shared ? ', shared' : ''}, now revision ${event.revision}`;
    case 'zone_removed':
      return `removed the zone “${event.zone}”`;
    case 'zones_handed_over':
      return `handed ${event.zones === 1 ? `the zone “${event.first}”` : `${event.zones} zones, from “${event.first}” on,`} over to ${event.person}`;
    case 'permit_made':
      return `made the permit “${event.permit}” in the zone “${event.zone}”`;
    case 'permits_made':
      return `made ${event.permits} permits, from “${event.first}” on`;
    case 'permit_changed':
      return `changed the permit “${event.permit}” in the zone “${event.zone}”`;
    case 'permit_ended':
      return `ended the permit “${event.permit}” in the zone “${event.zone}”`;
    case 'alarm_acknowledged':
      return `acknowledged the alarm ${event.alarm} in the zone “${event.zone}”${saidText(event.comment)}`;
    case 'alarm_closed':
      return `closed the alarm ${event.alarm} in the zone “${event.zone}” as ${event.as}${saidText(event.comment)}`;
    case 'handed_over':
      return `wrote for the next shift: “${event.note}”`;
    case 'incident_opened':
      return `opened incident ${event.number}`;
    case 'incident_changed':
      return `changed incident ${event.number}, now revision ${event.revision}`;
    case 'incident_noted':
      return `wrote a note in incident ${event.number}: ${event.note}`;
    case 'incident_joined':
      return `added ${event.alarms} alarms and ${event.tracks} tracks to incident ${event.number}`;
    case 'incident_closed':
      return `closed incident ${event.number}, ${event.positions} positions kept`;
    case 'incident_sealed':
      return `sealed incident ${event.number}, SHA-256 ${event.sha256}`;
    case 'incident_file_read':
      return `read the file of incident ${event.number}`;
    case 'incident_deleted':
      return `deleted incident ${event.number}: ${event.reason}`;
    case 'alarms_exported':
      return `exported ${event.alarms} ${event.alarms === 1 ? 'alarm' : 'alarms'} as ${event.format}${event.filter === '' ? '' : ` with ${event.filter}`}${EXPORT_END[event.outcome]}`;
    case 'destination_added':
      return `added the destination “${event.destination}”${event.all_alarms ? ' for all alarms' : ''}`;
    case 'destination_changed':
      return `changed the destination “${event.destination}”, now ${event.is_on ? 'on' : 'off'}${event.all_alarms ? ' for all alarms' : ''}${event.from === undefined ? '' : `, from ${event.from} to ${event.to}`}`;
    case 'destination_removed':
      return `removed the destination “${event.destination}”`;
    case 'destination_secret_made':
      return `made a new secret of the destination “${event.destination}”`;
    case 'destination_secrets_dropped':
      return `dropped the old secrets of the destination “${event.destination}”`;
    case 'destination_trial':
      return `sent a trial to the destination “${event.destination}”`;
    case 'destination_switched_off':
      return `switched the destination “${event.destination}” off: ${event.why}`;
    case 'delivery_given_up':
      return `gave up ${event.notices} ${event.notices === 1 ? 'notice' : 'notices'} for “${event.destination}”: ${event.why}`;
    case 'read_token_made':
      return `made the token “${event.token}” for ${event.scopes}`;
    case 'read_token_revoked':
      return `revoked the token “${event.token}”`;
    case 'wall_opened':
      return `opened the wall “${event.token}”`;
    case 'person_added':
      return `added ${event.person} as ${event.role}`;
    case 'person_removed':
      return `removed ${event.person}`;
    case 'role_changed':
      return `made ${event.person} ${event.role}`;
    case 'password_changed':
      return `set a new password of ${event.person}`;
    case 'password_removed':
      return `removed the password of ${event.person}`;
    case 'passkey_added':
      return `added the passkey “${event.passkey}” of ${event.person}`;
    case 'passkey_removed':
      return `removed the passkey “${event.passkey}” of ${event.person}`;
    case 'push_added':
      return `switched push on for ${event.person} in ${event.browser}, at ${event.to}`;
    case 'push_removed':
      return `switched push off for ${event.person} in ${event.browser}`;
    case 'more':
      return `more of the same kind (${kindText(event.of)}) than is recorded singly`;
    case 'lost':
      return 'events that could not be written, because the disk refused them for too long';
  }
}

function kindText(kind: string): string {
  const known = AUDIT_KINDS.find((one) => one === kind);
  return known ? AUDIT_KIND_TEXT[known].toLowerCase() : kind;
}

const wholeSeconds = (time: string) => time.replace('.000Z', 'Z');

function pastText({ bbox, layers, start, end, requests, outcome, format }: Of<'past_loaded'>): string {
  const what = format === null ? 'loaded' : `exported as ${format}`;
  const cost = `${requests} ${requests === 1 ? 'request' : 'requests'}`;
  return `${what} ${layers.join(', ')} in ${formatBbox(boxFromCorners(bbox))} from ${wholeSeconds(start)} to ${wholeSeconds(end)}: ${OUTCOMES[outcome]}, ${cost}`;
}

const EXPORT_END = {
  complete: '',
  cut: ', cut at the limit',
  left: ', ended by the client',
  failed: ', failed',
} as const;

function saidText(comment: string | undefined): string {
  return comment === undefined ? '' : `: “${comment}”`;
}
