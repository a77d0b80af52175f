export function Brand({ shrinks = false }: { readonly shrinks?: boolean }) {
  return (
    <div className="flex items-center gap-2 font-semibold text-name">
      <svg aria-hidden viewBox="0 0 20 20" className="size-[18px]">
        <circle cx="10" cy="10" r="8.25" fill="none" stroke="currentColor" strokeWidth="1.75" />
        <circle cx="10" cy="10" r="3" fill="currentColor" />
        <path d="M10 0.5V4M10 16V19.5M0.5 10H4M16 10H19.5" stroke="currentColor" strokeWidth="1.75" />
      </svg>
      <span className={shrinks ? '@max-[1439px]/bar:hidden' : undefined}>Lookout</span>
    </div>
  );
}
