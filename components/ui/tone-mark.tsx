import { classNames } from './class-names.ts';

export type MarkedTone = 'good' | 'warning' | 'bad' | 'neutral';

const COLOUR_CLASS: Readonly<Record<MarkedTone, string>> = {
  good: 'text-good',
  warning: 'text-warning',
  bad: 'text-bad',
  neutral: 'text-dim',
};

export function ToneMark({ tone }: { readonly tone: MarkedTone }) {
  return (
    <svg aria-hidden viewBox="0 0 10 10" className={classNames('size-2.5 shrink-0', COLOUR_CLASS[tone])}>
      {tone === 'good' && <circle cx="5" cy="5" r="4" fill="currentColor" />}
      {tone === 'warning' && <path d="M5 0.5 9.8 9.2H0.2Z" fill="currentColor" />}
      {tone === 'bad' && <rect x="1" y="1" width="8" height="8" fill="currentColor" />}
      {tone === 'neutral' && <circle cx="5" cy="5" r="3.4" fill="none" stroke="currentColor" strokeWidth="1.5" />}
    </svg>
  );
}
