// Runs before the first paint, as a file of its own because inline scripts are not allowed: no flash of the wrong theme.
{
  let theme = "system";
  try {
    theme = JSON.parse(localStorage.getItem("silas.preferences") || "{}").theme || "system";
  } catch {
    theme = "system";
  }
  const isDark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  const bar = document.querySelector('meta[name="theme-color"]');
  if (bar) bar.setAttribute("content", isDark ? "#101318" : "#f9f6f2");
}
