import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import type { AllowanceStatus } from '#lib/client/status/allowance-status.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { LAYERS } from '#lib/model/position.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { RECENT_MS } from './allowance-text.ts';

export interface AllowanceChipText {
  /** `undefined` while no layer is paused. */
  readonly tone: 'warning' | undefined;
  /** Shown after the word "Allowance"; empty where no figure is current. */
  readonly figures: string;
}

/**
 * The allowance in the top bar. The status is polled only while its panel is open, so an old number carries its age, and a number
 * whose window has ended is dropped. Pauses come from the live picture and are always current.
 */
export function allowanceChipText(
  status: AllowanceStatus | undefined,
  { layers, now, isPast }: Pick<DisplaySummary, 'layers' | 'now' | 'isPast'>,
): AllowanceChipText {
  // In a replay the state of the live layers is the last one before it, and may be outdated.
  const isPaused = !isPast && LAYERS.some((layer) => layers[layer].on && layers[layer].state === 'limited');
  const figures = isPaused ? ['paused', ...figuresOf(status, now)] : figuresOf(status, now);
  return { tone: isPaused ? 'warning' : undefined, figures: figures.join(' · ') };
}

function figuresOf(status: AllowanceStatus | undefined, now: UpstreamInstant | undefined): readonly string[] {
  if (status === undefined || now === undefined) return [];
  if (!status.hasAllowance) return ['none'];
  const { minute, day } = status;
  const figures: string[] = [];
  const ageMs = msBetween(status.asOf, now);
  const isRecent = ageMs <= RECENT_MS;
  if (isRecent && minute.remaining !== undefined && now < minute.resetsAt) {
    const ofSize = minute.size === undefined || minute.size < minute.remaining ? '' : `/${groupedNumber(minute.size)}`;
    figures.push(`${groupedNumber(minute.remaining)}${ofSize} this min`);
  }
  if (day.remaining !== undefined && now < day.resetsAt) figures.push(`${groupedNumber(day.remaining)} today`);
  return isRecent || figures.length === 0 ? figures : [...figures, `${durationText(ageMs)} old`];
}
