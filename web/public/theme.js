// Runs before the first paint, as a file of its own because inline scripts are not allowed: no flash of the wrong theme.
(function () {
  var theme = "system";
  try {
    theme = JSON.parse(localStorage.getItem("silas.preferences") || "{}").theme || "system";
  } catch (error) {
    theme = "system";
  }
  var dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  var bar = document.querySelector('meta[name="theme-color"]');
  if (bar) bar.setAttribute("content", dark ? "#101318" : "#f9f6f2");
})();
