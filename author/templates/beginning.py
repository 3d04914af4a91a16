"""Chapter 99: one sentence on what is built here. The source of this chapter's two notebooks."""

# %% [markdown]
# # 99 · Template
#
# `python -m utils new` wrote this chapter, and it works as it is. Put your own text and code in the place of
# each part, from the top. Here: what fails without the thing that is built below, shown by a number or a picture.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch99_template")
