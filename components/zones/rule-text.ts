import type { SuspendedRule } from '#lib/api/watching/zones.ts';
import { newRule } from '#lib/client/zones/zone-draft.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { lengthText } from '#lib/model/measure-text.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { kindOf } from '#lib/zones/rule-kinds.ts';

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
  const { text, title } = kindOf(rule);
  return [`${text?.(rule, units) ?? title} — ${layers}`, ...conditionTexts(rule, units)].join(', ');
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
  const held = measures(hold_s, kindOf(rule).insideS ? 0 : hold_m, units);
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
