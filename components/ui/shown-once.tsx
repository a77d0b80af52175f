import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

interface ShownOnceProps {
  /** Such as `Initial password`. */
  readonly title: string;
  /** Such as `password`. */
  readonly what: string;
  /** Of what it opens. */
  readonly name: string;
  readonly text: string;
  readonly onHide: () => void;
  readonly children?: ReactNode;
}

/** A secret that only the answer to its making has: an admin copies it, and hides it. */
export function ShownOnce({ title, what, name, text, onHide, children }: ShownOnceProps) {
  return (
    <section role="status" className="flex flex-col gap-2 rounded-card border border-warning bg-surface p-4">
      <p>
        {title} of <span className="font-semibold">{name}</span>, shown this once:
      </p>
      <code data-testid="shown-once" className="select-all break-all font-mono text-name">
        {text}
      </code>
      {children}
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label={`Copy the ${what}`} />
        <Button onClick={onHide}>Hide the {what}</Button>
      </div>
    </section>
  );
}
