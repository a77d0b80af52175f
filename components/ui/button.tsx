import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

interface Styled {
  /** `danger` is for actions that take something away. */
  readonly look?: 'plain' | 'quiet' | 'primary' | 'danger';
  readonly shape?: 'text' | 'small-text' | 'icon' | 'small-icon' | 'tool';
}

export interface ButtonProps extends Styled, ComponentProps<'button'> {}
export interface LinkButtonProps extends Styled, ComponentProps<'a'> {}

const looks = {
  plain: 'border border-line bg-raised text-text hover:border-edge aria-pressed:border-text',
  quiet:
    'border border-transparent text-dim hover:bg-raised hover:text-text aria-pressed:bg-raised aria-pressed:text-text',
  danger: 'border border-bad bg-surface text-bad hover:bg-raised',
  primary: 'border border-text bg-text text-surface hover:opacity-90',
} as const;

const shapes = {
  text: 'h-8 gap-2 rounded-control px-3 phone:h-11',
  'small-text': 'h-6 gap-1 rounded-control px-2 text-caption phone:h-11',
  icon: 'size-8 rounded-control phone:size-11',
  'small-icon': 'size-6 rounded-control phone:size-11',
  tool: 'size-9 phone:size-11',
} as const;

export function Button({ look, shape, className, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={styled(look, shape, className)} {...rest} />;
}

export function LinkButton({ look, shape, className, ...rest }: LinkButtonProps) {
  return <a className={styled(look, shape, className)} {...rest} />;
}

function styled(look: keyof typeof looks = 'plain', shape: keyof typeof shapes = 'text', className?: string): string {
  return classNames(
    'inline-flex shrink-0 items-center justify-center whitespace-nowrap font-medium text-body disabled:opacity-50',
    '[&>svg]:shrink-0',
    looks[look],
    shapes[shape],
    className,
  );
}
