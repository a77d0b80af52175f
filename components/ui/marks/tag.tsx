const MEANING = { SIM: 'Simulated data', TEST: 'Recognised test broadcast' } as const;

export function Tag({ text }: { readonly text: keyof typeof MEANING }) {
  return (
    <span
      title={MEANING[text]}
      className="inline-flex shrink-0 items-center rounded-[4px] border border-dim px-1 font-bold font-sans text-[9.5px] text-text leading-[13px] tracking-wide"
    >
      <span aria-hidden>{text}</span>
      <span className="sr-only">{MEANING[text]}</span>
    </span>
  );
}
