import { Card } from './account-layout.tsx';

export function ClosedCard({ children }: { readonly children: string }) {
  return (
    <Card title="For admins only">
      <p role="status">{children}</p>
      <p className="flex flex-wrap gap-x-4 [&>a]:inline-flex [&>a]:items-center [&>a]:text-focus [&>a]:underline phone:[&>a]:min-h-11">
        <a href="/">Go to the map</a>
        <a href="/account">Your account</a>
      </p>
    </Card>
  );
}
