import { useEffect, useState } from 'preact/hooks';

const query = '(max-width: 620px)';

/** Whether the page is as narrow as a telephone, as in narrow.css; the component is drawn again when it changes. */
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
