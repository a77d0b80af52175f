import { RotateCw } from 'lucide-react';
import { Button } from './button.tsx';

/** For failures of the page itself: a reload requests its code. */
export function ReloadButton() {
  return (
    <Button onClick={() => window.location.reload()}>
      <RotateCw aria-hidden size={14} />
      Reload the page
    </Button>
  );
}
