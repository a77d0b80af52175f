import { useId } from 'react';
import type { AgePhase } from '#lib/model/ageing.ts';
import { EXPIRED_OPACITY } from '#lib/model/ageing.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { lightDark } from '../light-dark.ts';
import { dashesRound, HATCH_GROUND_FRACTION, lineOpacity, MARK_MEASURES } from './mark-measures.ts';
import { MARK_THEMES, type MarkTheme } from './mark-theme.ts';
import { outlineLengthPx, outlinePath, type SilhouetteName, silhouetteName } from './silhouettes.ts';

export interface MarkIconProps {
  readonly kind: TrackKind;
  /** Degrees clockwise from up; `undefined` draws the shape of an unreported heading. */
  readonly heading?: number | undefined;
  readonly phase?: Exclude<AgePhase, 'removed'>;
  readonly striped?: boolean;
  readonly test?: boolean;
  readonly emergency?: boolean;
  readonly colour: string;
  /** Side of the box in CSS pixels; about 25 on the map. */
  readonly size: number;
}

const m = MARK_MEASURES;
/** Half the box of a mark without decorations, in symbol pixels. */
const PLAIN_HALF_PX = 12.5;
const DECORATED_HALF_PX = 17;

/** The mark is hidden from screen readers. Its theme follows the CSS `color-scheme`. */
export function MarkIcon(props: MarkIconProps) {
  const { kind, heading, test = false, emergency = false, colour, size } = props;
  const name = silhouetteName(kind, heading !== undefined);
  const half = test || emergency ? DECORATED_HALF_PX : PLAIN_HALF_PX;
  const line = themed((theme) => `color-mix(in srgb, ${colour}, ${hex(theme.ink)} ${theme.lineInk * 100}%)`);
  return (
    <svg
      width={size}
      height={size}
      viewBox={`${-half} ${-half} ${2 * half} ${2 * half}`}
      aria-hidden="true"
      fill="none"
    >
      <g transform={`rotate(${heading ?? 0})`} strokeLinejoin="round">
        {props.phase === 'expired' ? (
          <ExpiredBody {...props} name={name} line={line} />
        ) : (
          <CurrentBody {...props} name={name} line={line} />
        )}
      </g>
      {test && (
        <rect
          x={-m.testHalfPx}
          y={-m.testHalfPx}
          width={2 * m.testHalfPx}
          height={2 * m.testHalfPx}
          stroke={line}
          strokeWidth={m.testPx}
          {...dashes(m.testDashPx, m.testPeriodPx)}
        />
      )}
      {emergency && (
        <circle r={m.emergencyRadiusPx} stroke={themed((theme) => hex(theme.emergency))} strokeWidth={m.emergencyPx} />
      )}
    </svg>
  );
}

interface BodyProps extends MarkIconProps {
  readonly name: SilhouetteName;
  readonly line: string;
}

function CurrentBody({ name, line, colour, heading = 0, phase, striped = false }: BodyProps) {
  const hatchId = useId();
  const opacity = phase === 'ageing' ? (1 + EXPIRED_OPACITY) / 2 : 1;
  return (
    <>
      <path
        d={outlinePath(name)}
        stroke={line}
        strokeOpacity={lineOpacity(opacity)}
        strokeWidth={2 * (m.gapPx + m.contourPx)}
      />
      <path d={outlinePath(name)} fill={haloColour} stroke={haloColour} strokeWidth={2 * m.gapPx} />
      {striped && <Hatch id={hatchId} colour={colour} heading={heading} />}
      {striped && <path d={outlinePath(name)} fill={colour} fillOpacity={opacity * HATCH_GROUND_FRACTION} />}
      <path d={outlinePath(name)} fill={striped ? `url(#${hatchId})` : colour} fillOpacity={opacity} />
    </>
  );
}

function ExpiredBody({ name, line, heading = 0, striped = false }: BodyProps) {
  const hatchId = useId();
  const outer = m.expiredOutsidePx + m.expiredPx / 2;
  const inner = m.expiredOutsidePx - m.expiredPx / 2;
  return (
    <g opacity={lineOpacity(EXPIRED_OPACITY)}>
      <path
        d={outlinePath(name)}
        stroke={line}
        strokeWidth={2 * outer}
        pathLength={dashesRound(outlineLengthPx(name)) * m.dashPeriodPx}
        {...dashes(m.expiredDashPx, m.expiredPeriodPx)}
      />
      <path d={outlinePath(name)} fill={haloColour} stroke={haloColour} strokeWidth={2 * inner} />
      {striped && <Hatch id={hatchId} colour={line} heading={heading} />}
      {striped && <path d={outlinePath(name)} fill={`url(#${hatchId})`} fillOpacity={0.5} />}
    </g>
  );
}

function Hatch({ id, colour, heading }: { id: string; colour: string; heading: number }) {
  return (
    <pattern
      id={id}
      width={m.hatchPeriodPx}
      height={m.hatchPeriodPx}
      patternUnits="userSpaceOnUse"
      patternTransform={`rotate(${45 - heading})`}
    >
      <rect width={m.hatchPx} height={m.hatchPeriodPx} fill={colour} />
    </pattern>
  );
}

const haloColour = themed((theme) => hex(theme.halo));

function dashes(onPx: number, periodPx: number) {
  return { strokeDasharray: `${onPx} ${periodPx - onPx}`, strokeDashoffset: onPx / 2 };
}

function themed(colourOf: (theme: MarkTheme) => string): string {
  return lightDark(colourOf(MARK_THEMES.light), colourOf(MARK_THEMES.dark));
}

function hex(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}
