import type { ReactNode } from 'react';

export function Key({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 shrink-0 items-center justify-center rounded-[4px] border border-edge bg-surface px-1 font-mono text-caption text-text whitespace-nowrap">
      {children}
    </kbd>
  );
}
