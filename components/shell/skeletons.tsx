import { Brand } from '../ui/brand.tsx';
import { classNames } from '../ui/class-names.ts';

function Bone({ className }: { readonly className: string }) {
  return <span aria-hidden className={classNames('block rounded-control bg-line', className)} />;
}

export function BarSkeleton() {
  return (
    <div className="[container:bar/inline-size]">
      <div className="flex h-[49px] items-center gap-4 border-line border-b bg-surface px-4 phone:gap-2 phone:px-2">
        <Brand shrinks />
        <Bone className="h-7 w-28 phone:hidden" />
        <Bone className="h-7 w-20" />
        <Bone className="ml-auto h-9 w-40 phone:w-24" />
        <Bone className="h-9 w-40 phone:w-24" />
        <Bone className="h-8 w-48 tablet:hidden" />
      </div>
    </div>
  );
}

const ROWS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

export function PanelSkeleton() {
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-hidden border-line border-l bg-surface">
      <div className="flex h-[41px] shrink-0 items-center gap-5 border-line border-b px-4">
        <Bone className="h-4 w-12" />
        <Bone className="h-4 w-10" />
        <Bone className="h-4 w-10" />
        <Bone className="h-4 w-20" />
      </div>
      <div className="flex flex-col gap-3 p-4">
        <Bone className="h-8 w-full" />
        {ROWS.map((row) => (
          <div key={row} className="flex h-4 gap-4">
            <Bone className="w-4" />
            <Bone className="w-16" />
            <Bone className="ml-auto w-44" />
          </div>
        ))}
      </div>
    </div>
  );
}

/** The skeleton of the page: everything is at its final place, in the theme's colours. */
export function PageSkeleton() {
  return (
    <div className="flex h-dvh flex-col overflow-hidden bg-background" data-testid="skeleton">
      <p role="status" className="sr-only">
        Lookout is opening.
      </p>
      <BarSkeleton />
      <div className="flex min-h-0 flex-1">
        <div className="w-[45px] shrink-0 border-line border-r bg-surface phone:hidden" />
        <div className="flex min-w-0 flex-1 flex-col">
          <div className="h-[29px] shrink-0 border-line border-b bg-surface phone:h-[51px]" />
          <div className="flex-1 bg-[light-dark(#cfdce6,#21374c)]" />
          <div className="hidden h-[73px] shrink-0 border-edge border-t bg-surface phone:block" />
        </div>
        <div className="flex w-[372px] shrink-0 tablet:w-80 phone:hidden">
          <PanelSkeleton />
        </div>
      </div>
    </div>
  );
}
