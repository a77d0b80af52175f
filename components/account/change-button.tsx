import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '../ui/button.tsx';
import type { Change } from './use-change.ts';

interface ChangeButtonProps extends Pick<ButtonProps, 'look' | 'className' | 'aria-label'> {
  readonly change: Change;
  readonly run: () => Promise<string>;
  readonly children: ReactNode;
}

export function ChangeButton({ change, run, children, ...rest }: ChangeButtonProps) {
  return (
    <Button disabled={change.isSending} onClick={() => change.make(run)} {...rest}>
      {children}
    </Button>
  );
}
