import { useEffect, useState } from 'preact/hooks';

const query = '(max-width: 620px)';

/** Whether the page is as narrow as a phone, as in narrow.css; the component is rendered again when that changes. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const read = () => setNarrow(media.matches);
    media.addEventListener('change', read);
    return () => media.removeEventListener('change', read);
  }, []);
  return isNarrow;
}
