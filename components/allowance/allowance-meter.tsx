import { classNames } from '../ui/class-names.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import type { AllowanceText } from './allowance-meter-text.ts';

export interface AllowanceMeterProps {
  readonly label: string;
  readonly text: AllowanceText;
  readonly testId: string;
}

export function AllowanceMeter({ label, text, testId }: AllowanceMeterProps) {
  const { tone, left, leftFraction, reserved, reset } = text;
  return (
    <section aria-label={label} data-testid={testId} className="relative flex flex-col gap-1">
      <div className="flex items-baseline justify-between gap-4">
        <h2 className="text-dim">{label}</h2>
        <p className="flex items-baseline gap-1.5 text-right font-semibold">
          {tone === 'warning' && <ToneMark tone={tone} />}
          <span data-testid={`${testId}-left`}>{left}</span>
        </p>
      </div>
      {leftFraction !== undefined && (
        <>
          <meter className="sr-only" aria-label={label} value={leftFraction} aria-valuetext={left} />
          <div aria-hidden className="h-2 overflow-hidden rounded-full border border-edge bg-background">
            <div
              className={classNames(
                'h-full forced-color-adjust-none forced-colors:bg-[CanvasText]',
                tone === 'warning' ? 'bg-warning' : 'bg-dim',
              )}
              style={{ width: `${leftFraction * 100}%` }}
            />
          </div>
        </>
      )}
      {reserved !== undefined && <p className="text-caption text-dim">{reserved}</p>}
      <p className="text-caption text-dim">{reset}</p>
    </section>
  );
}
