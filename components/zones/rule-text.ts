import type { SuspendedRule } from '#lib/api/watching/zones.ts';
import { newRule } from '#lib/client/zones/zone-draft.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { lengthText, speedText } from '#lib/model/measure-text.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { HEIGHT_FIELD_TEXT } from '#lib/zones/alarm-words.ts';
import type { Rule, RuleKind } from '#lib/zones/rule.ts';

export const RULE_KIND_TEXT: Readonly<Record<RuleKind, string>> = {
  entered: 'Entered',
  left: 'Left',
  inside_longer: 'Inside longer than',
  speed: 'Speed beyond',
  height: 'Height beyond',
  emergency: 'Emergency reported',
  closer: 'Two tracks closer than',
  about_to_enter: 'About to enter (projection)',
  nothing_received: 'Nothing received',
};

/** Ends with what an operator may do. */
export function suspensionText({ reason, layer, alarms }: SuspendedRule): string {
  if (reason === 'rule_failed')
    return `Suspended for ${LAYER_TEXT[layer]}: the rule failed. Save the zone to try again.`;
  return `Suspended for ${LAYER_TEXT[layer]}: ${groupedNumber(alarms ?? 0)} alarms or more, too many to list. Narrow the rule.`;
}

const LAYER_TEXT: Readonly<Record<Layer, string>> = { rid: 'drones', adsb: 'aircraft' };

/** `Entered — drones, after 20 s or 30 m inside`. */
export function ruleText(rule: Rule, units: UnitSystem): string {
  const layers = rule.layers.map((layer) => LAYER_TEXT[layer]).join(' and ');
  return [`${eventText(rule, units)} — ${layers}`, ...conditionTexts(rule, units)].join(', ');
}

function eventText(rule: Rule, units: UnitSystem): string {
  switch (rule.kind) {
    case 'inside_longer':
      return `Inside longer than ${durationText(rule.longer_s * 1000)}`;
    case 'speed':
      return `Speed ${rule.beyond} ${speedText(units, rule.speed_mps)}`;
    case 'height':
      return `${rule.beyond === 'above' ? 'Above' : 'Below'} ${lengthText(units, rule.height_m)} (${HEIGHT_FIELD_TEXT[rule.field]})`;
    case 'closer': {
      const vertical =
        rule.vertical_m === null ? '' : ` and ${lengthText(units, rule.vertical_m)} (${HEIGHT_FIELD_TEXT[rule.field]})`;
      return `Two tracks closer than ${lengthText(units, rule.horizontal_m)}${vertical}`;
    }
    case 'about_to_enter':
      return `About to enter within ${rule.within_s} s (projection)`;
    case 'nothing_received':
      return `Nothing received for ${durationText(rule.for_s * 1000)} while watched`;
    case 'entered':
    case 'left':
    case 'emergency':
      return RULE_KIND_TEXT[rule.kind];
  }
}

function conditionTexts(rule: Rule, units: UnitSystem): readonly string[] {
  const { min_receivers, confidence, simulated, test, notify, escalate } = rule;
  return [
    ...holdTexts(rule, units),
    min_receivers > 1 ? `${min_receivers} receivers or more` : [],
    confidence === null ? [] : `confidence ${confidence.join(' or ')}`,
    simulated ? 'simulated too' : [],
    test ? 'test broadcasts too' : [],
    notify.length === 0 ? [] : `sent to ${notify.length === 1 ? '1 destination' : `${notify.length} destinations`}`,
    escalate === null ? [] : `escalated after ${durationText(escalate.after_s * 1000)}`,
  ].flat();
}

/** Only where it differs from a new rule. */
function holdTexts(rule: Rule, units: UnitSystem): readonly string[] {
  const { hold_s, hold_m, hold_out_s, hold_out_m } = rule;
  const usual = newRule(rule.kind);
  const held = measures(hold_s, rule.kind === 'inside_longer' ? 0 : hold_m, units);
  const heldOut = measures(hold_out_s, hold_out_m, units);
  return [
    hold_s === usual.hold_s && hold_m === usual.hold_m
      ? []
      : held.length === 0
        ? 'at once'
        : `after ${held.join(' or ')} inside`,
    hold_out_s === usual.hold_out_s && hold_out_m === usual.hold_out_m
      ? []
      : heldOut.length === 0
        ? 'ends at once'
        : `ends after ${heldOut.join(' and ')} outside`,
  ].flat();
}

function measures(seconds: number, metres: number, units: UnitSystem): readonly string[] {
  return [seconds > 0 ? durationText(seconds * 1000) : [], metres > 0 ? (lengthText(units, metres) ?? []) : []].flat();
}
