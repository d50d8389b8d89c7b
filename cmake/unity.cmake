# Several sources of a target compiled as one: what all of them include is read once. A build from nothing took 513 s with
# it and 630 s without. A change then compiles more than its own file, so only the release preset has it on.
option(POSPROOF_UNITY "Compile several sources of a target as one" OFF)
set(POSPROOF_UNITY_MOST 8)

# What the lines of `source` that are not indented define: its functions, types and constants, and a few names more.
function(posproof_names source names)
  file(STRINGS ${source} lines REGEX "^[A-Za-z:]")
  list(FILTER lines EXCLUDE REGEX "^(namespace|using namespace|TEST|INSTANTIATE|RC_)")
  string(REGEX MATCHALL "[A-Za-z_0-9]+ ?[({=;]" found "${lines}")
  list(TRANSFORM found REPLACE " ?.$" "")
  list(REMOVE_DUPLICATES found)
  list(REMOVE_ITEM found double int void auto bool if for const)
  set(${names} ${found} PARENT_SCOPE)
endfunction()

# The namespaces that `source` opens for what follows it. Only sources that open the same ones are compiled together.
function(posproof_opened source opened)
  file(STRINGS ${source} lines REGEX "^using namespace")
  list(SORT lines)
  string(MD5 hash "${lines}")
  set(${opened} ${hash} PARENT_SCOPE)
endfunction()

# Of what the caller knows as `sources_GROUP`, `names_GROUP` and `names`.
function(posproof_has_room group free)
  set(both ${names_${group}} ${names})
  list(LENGTH both before)
  list(REMOVE_DUPLICATES both)
  list(LENGTH both after)
  list(LENGTH sources_${group} count)
  if(before EQUAL after AND count LESS POSPROOF_UNITY_MOST)
    set(${free} TRUE PARENT_SCOPE)
  else()
    set(${free} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Sources that define the same name are compiled apart: each goes to the first group with room and none of its names. One
# with options of its own stays alone, as CMake has it.
function(posproof_unity target)
  if(NOT POSPROOF_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cpp$")
  foreach(source IN LISTS sources)
    posproof_names(${source} names)
    posproof_opened(${source} opened)
    set(number 0)
    set(group ${opened}_0)
    posproof_has_room(${group} free)
    while(NOT free)
      math(EXPR number "${number} + 1")
      set(group ${opened}_${number})
      posproof_has_room(${group} free)
    endwhile()
    list(APPEND sources_${group} ${source})
    list(APPEND names_${group} ${names})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE -Wno-shadow)  # a local of one source may have the name of another's constant
endfunction()
