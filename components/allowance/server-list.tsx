import type { AllowanceStatus } from '#lib/client/status/allowance-status.ts';

/** The servers that share the account, and which of them decides what is requested. */
export function ServerList({ planner, replicas }: NonNullable<AllowanceStatus['servers']>) {
  return (
    <section aria-labelledby="servers" data-testid="servers" className="border-line border-b p-4">
      <h2 id="servers" className="pb-2 font-semibold">
        Servers
      </h2>
      <ul className="flex flex-col gap-1">
        {replicas.map(({ name }) => (
          <li key={name} className="flex items-baseline justify-between gap-4">
            <span className="min-w-0 break-words">{name}</span>
            {name === planner && <span className="whitespace-nowrap text-dim">plans for all</span>}
          </li>
        ))}
      </ul>
      {planner === null && <p className="text-warning">No server plans now, so no requests are sent to the service.</p>}
    </section>
  );
}
