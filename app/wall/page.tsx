import { WallOpening } from '#components/sign-in/wall-opening.tsx';
import { Brand } from '#components/ui/brand.tsx';

export const metadata = { title: 'Wall · Lookout' };

/** The same for every visitor: only the browser knows the token, which is in the fragment of the address. */
export default function WallPage() {
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-[min(340px,100%)] flex-col gap-4 rounded-card border border-line bg-surface p-6">
        <Brand />
        <WallOpening />
      </div>
    </main>
  );
}
